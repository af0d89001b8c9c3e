/** In the order of the table. By itself, as the table is made where nothing is built yet. */
export const ROOMS = ['service', 'database', 'machine', 'security'] as const

/** Who is hostile. */
export type Room = (typeof ROOMS)[number]
