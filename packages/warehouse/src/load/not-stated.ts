/** Error code of a scope of which a backup does not say how it was read. */
export const NOT_STATED = 'NOT_STATED'
