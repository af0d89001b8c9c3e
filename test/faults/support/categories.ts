/** In the order of the table. By itself, as the table is made where nothing is built yet. */
export const CATEGORIES = ['service', 'database', 'machine', 'security'] as const

/** Who is hostile. */
export type Category = (typeof CATEGORIES)[number]
