/** One row of the service's error table (docs/dev/service-api.md#errors). */
export interface ErrorRow {
  /** `error_code` of the body. */
  readonly code: number
  /** HTTP status it comes with. */
  readonly status: number
  readonly meaning: string
}

/** Error codes of every operation. */
export const COMMON_ERRORS = [
  { code: 100005, status: 401, meaning: 'not authorized' },
  { code: 100006, status: 400, meaning: 'access_token incorrect' },
] as const satisfies readonly ErrorRow[]

/** Codes after which no request with the same token can succeed. */
export const AUTH_ERROR_CODES: readonly number[] = COMMON_ERRORS.map((row) => row.code)

/** The project does not exist, or the token's user cannot see it (HTTP 404). */
export const PROJECT_NOT_FOUND = 400004

/** The body of an error answer (docs/dev/service-api.md#errors). */
export interface ErrorBody {
  error_code: number
  /** For a person, in Chinese; its exact text may differ for the same code. */
  error_message: string
  /** The request's path template. */
  request: string
}
