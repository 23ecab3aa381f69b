// Owns the headers that all tests share, compiled beforehand.
int main() {}
