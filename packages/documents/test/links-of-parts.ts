import { readLinks } from '../src/markdown/destinations.ts'
import type { TextLinks } from '../src/markdown/link-reader.ts'
import { partsOf } from '../src/markdown/parts.ts'
import { type MayHold, wantedParts } from '../src/markdown/wanted-parts.ts'

/** The links of a text whose addresses matter, as the parse of the wanted parts gives them. */
export function linksOfParts(text: string, matters: MayHold): TextLinks {
  return mattering(readLinks(text, wantedParts(text, matters, Infinity) ?? []), matters)
}

/** The same, as the parse of the whole text gives them. */
export function linksOfWhole(text: string, matters: MayHold): TextLinks {
  return mattering(readLinks(text), matters)
}

/** All links of a text, as the parse of its parts gives them, each by itself. */
export function linksOfAllParts(text: string): TextLinks {
  return readLinks(text, [...partsOf(text)])
}

function mattering({ destinations, wholes }: TextLinks, matters: MayHold): TextLinks {
  return {
    destinations: destinations.filter(({ url }) => matters(url)),
    wholes: wholes.filter(({ url }) => matters(url)),
  }
}
