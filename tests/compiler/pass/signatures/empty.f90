! The whole program is in the library.
subroutine nothing_else
end subroutine
