import { hash } from 'node:crypto'
import { readAsset, readStartScript, SHIPPED } from './assets.ts'

/** The scripts of sites that this program or a release before it wrote. */
export interface KnownScripts {
  /** Digests of the inline script of pages, in base64. */
  readonly inline: readonly string[]
  /** Digests of files, in hexadecimal. */
  readonly files: ReadonlySet<string>
}

/** Of releases whose sites have other scripts than the present ones; a test reads them from the backup of each release. */
const RELEASED: readonly { readonly inline: string; readonly files: readonly string[] }[] = [
  {
    inline: 'F5Y/HFbU2SNRdu9CB6rYMBSE/v0B0CtCM5674KgnytQ=', // 0.1.0
    files: [
      'c9aba8825fd01fca8f610e9c3e8023f7bf687204a007f5f76cc2c77eb714770b', // minisearch.js
      'fc60d02d7e9b23c61b9b23985ea4f894548787cb8db80741d652c92b9890ebcb', // search.js
      '853e1d101849911fc39cb64300e0d2b8ac6f4f96b917a5308119a07f39f04626', // site.js
      '5043dec734f4d197267a40ff3b9a6fdcfde3639b9aef71bacc9eac4127e01a0b', // terms.js
    ],
  },
]

/** All digests are SHA-256. */
export async function knownScripts(): Promise<KnownScripts> {
  const start = await readStartScript()
  const scripts = SHIPPED.filter((name) => name.endsWith('.js'))
  const own = await Promise.all(scripts.map(async (name) => hash('sha256', await readAsset(name))))
  return {
    inline: [start.hash, ...RELEASED.map(({ inline }) => inline)],
    files: new Set([...own, ...RELEASED.flatMap(({ files }) => files)]),
  }
}
