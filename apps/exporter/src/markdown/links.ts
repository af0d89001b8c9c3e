import { type Destination, linkDestinations } from './destinations.ts'
import { inlineText } from './inline.ts'

/** Gives the address that a link should have instead; `null` where it stays as it is. */
export type Rewrite = (url: string) => Promise<string | null>

/**
 * The text with the addresses of its links replaced, every other byte as it was. A bare address keeps itself as the text
 * of the link that it becomes: `https://…/pages/a1` turns into `[https://…/pages/a1](../a--a1.md)`.
 */
export async function rewriteLinks(text: string, rewrite: Rewrite): Promise<string> {
  let rewritten = ''
  let end = 0
  for (const destination of linkDestinations(text)) {
    const address = await rewrite(destination.url)
    if (address === null) continue
    rewritten += text.slice(end, destination.start) + replacement(destination, address)
    end = destination.end
  }
  return end === 0 ? text : rewritten + text.slice(end)
}

function replacement({ bare, url }: Destination, address: string): string {
  return bare ? `[${inlineText(url)}](${address})` : address
}

/** The way from one file to another, both given from the same folder, as a link's address. Names need no escapes. */
export function relativeAddress(from: string, to: string): string {
  const above = from.split('/').slice(0, -1)
  const target = to.split('/')
  let shared = 0
  while (shared < above.length && shared < target.length - 1 && above[shared] === target[shared]) shared++
  return [...above.slice(shared).map(() => '..'), ...target.slice(shared)].join('/')
}
