/**
 * Compares texts by their UTF-8 bytes, which is what Postgres calls collation "C". JavaScript's `<` goes by UTF-16
 * units and differs where characters beyond U+FFFF meet those from U+E000 on.
 */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return byteRank(left) - byteRank(right)
  }
  return a.length - b.length
}

/** Moves surrogates (which stand for U+10000 and above) behind the rest of the first plane. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
