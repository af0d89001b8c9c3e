/** Categories in the order of the table. In its own file, because the table is made before packages are built. */
export const CATEGORIES = ['service', 'database', 'machine', 'security'] as const

/** What the fault affects. */
export type Category = (typeof CATEGORIES)[number]
