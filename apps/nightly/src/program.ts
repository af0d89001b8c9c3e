import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The commands that the main job is made of, and the manifests of the packages that hold them. */
const MANIFESTS = {
  'collab-extract': import.meta.resolve('@collab-etl/extractor/package.json'),
  'collab-export': import.meta.resolve('@collab-etl/exporter/package.json'),
  'collab-sandbox': import.meta.resolve('@collab-etl/sandbox/package.json'),
} as const

export type ProgramName = keyof typeof MANIFESTS

/** Path of a command's file, as its package declares it. */
export function programPath(name: ProgramName): string {
  const manifest = fileURLToPath(MANIFESTS[name])
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: Record<string, string> } // a package.json
  const path = bin?.[name]
  if (path === undefined) throw new Error(`${manifest} names no command ${name}`)
  return join(dirname(manifest), path)
}
