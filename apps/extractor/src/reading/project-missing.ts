/** The service's code for a project that does not exist (docs/service-api.md#errors). */
export const PROJECT_MISSING = '400004'
