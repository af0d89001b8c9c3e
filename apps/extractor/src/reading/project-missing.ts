/** The service's code for a project that does not exist (API page, section 7). */
export const PROJECT_MISSING = '400004'
