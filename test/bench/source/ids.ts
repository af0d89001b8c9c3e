/** Characters of an id. */
export const ID_LENGTH = 24

/** The id of a number: 24 hex digits that look random, as a service gives them, so that lists are not in the order of their keys. */
export function hexId(number: number): string {
  const first = scrambled(number)
  return [first, scrambled(first ^ 0x5bd1e995), scrambled(first ^ 0x27d4eb2f)]
    .map((part) => part.toString(16).padStart(8, '0'))
    .join('')
}

/** Another whole number below 2^32 for each one: every step can be undone, so no two numbers give the same. */
function scrambled(number: number): number {
  let bits = number | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
