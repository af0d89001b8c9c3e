/** Characters of an id. */
export const ID_LENGTH = 24

/** The id for a number: 24 pseudo-random hex digits, so that lists are not in the order of their keys. */
export function hexId(number: number): string {
  const first = scrambled(number)
  return [first, scrambled(first ^ 0x5bd1e995), scrambled(first ^ 0x27d4eb2f)]
    .map((part) => part.toString(16).padStart(8, '0'))
    .join('')
}

/** A bijection of whole numbers below 2^32. */
function scrambled(number: number): number {
  let bits = number | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
