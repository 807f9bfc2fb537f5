/** With the same salt, the programs that are compared write the same hashes. */
export const SALT = "a salt for the bench";
