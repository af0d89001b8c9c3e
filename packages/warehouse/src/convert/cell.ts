/** A value of a row: timestamps are ISO texts in UTC, `bigint`s too large for a number are texts. */
export type Cell = string | number | boolean | null | readonly string[] | { readonly [field: string]: unknown }

/** Marks a cell whose field was left out of its record: staged as NULL, and then replaced by the stored value. */
export const LEFT_OUT: Cell = Object.freeze({ leftOut: true })
