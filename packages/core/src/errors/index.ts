export { ApiError, isApiError, isAuthError, isRateLimited } from './api-error.ts'
export {
  BudgetError,
  CollabError,
  isBudgetError,
  isCollabError,
  isParameterError,
  isWalkError,
  ParameterError,
  WalkError,
  type WalkErrorKind,
} from './collab-error.ts'
export { DecodeError, type DecodeProblem, isDecodeError } from './decode-error.ts'
export { isSignInError, SignInError, type SignInErrorKind } from './sign-in-error.ts'
export { isTransportError, TransportError, type TransportErrorKind } from './transport-error.ts'
