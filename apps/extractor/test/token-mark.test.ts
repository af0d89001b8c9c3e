import { SignInError } from '@collab-etl/core/errors'
import { expect, test } from 'vitest'
import { isMarkOf, marksOf } from '../src/snapshot/token-mark.ts'

/** A process with a token (`null`: it cannot be refreshed now), from a sign-in or command if `identity` names one. */
function process(token: string | null, identity: string | null) {
  const current = async () => {
    if (token === null) throw new SignInError('unreachable', 'no token now')
    return token
  }
  return { current, renew: async () => undefined, identity }
}

const of = process('token-1', 'sign-in-1')

test.for([
  ['the same token is recognised', process('token-1', null), true],
  ['another token of the same sign-in is recognised', process('token-2', 'sign-in-1'), true],
  ['the same sign-in is recognised while its token cannot be refreshed', process(null, 'sign-in-1'), true],
  ['another token is not', process('token-2', null), false],
  ['another token of another sign-in is not', process('token-2', 'sign-in-2'), false],
  ['a token with the text of the sign-in is not', process('sign-in-1', null), false],
] as const)('%s', async ([, other, isSame]) => {
  const marks = await marksOf(of)
  expect(await isMarkOf(marks, other)).toBe(isSame)
  for (const secret of ['token-1', 'sign-in-1']) expect(marks.join()).not.toContain(secret)
})
