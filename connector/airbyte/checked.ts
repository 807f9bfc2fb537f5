/** A value as it is used from here on, or the sentence that tells the user what is wrong with it. */
export type Checked<Value> = { readonly value: Value } | { readonly fault: string };
