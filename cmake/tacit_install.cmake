# What `make install` puts where: headers, libraries, the CMake package and the pkg-config file.
