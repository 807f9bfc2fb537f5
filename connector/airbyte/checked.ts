/** A checked value in its final form, or the message that tells the user what is wrong. */
export type Checked<Value> = { readonly value: Value } | { readonly fault: string };
