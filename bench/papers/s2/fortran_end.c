/* Linked with --wrap=_FortranAProgramEndStatement: flang's END PROGRAM calls exit(), which would end the
 * simulation of all ranks when the first one is done. */
void __wrap__FortranAProgramEndStatement(void);

void __wrap__FortranAProgramEndStatement(void) {}
