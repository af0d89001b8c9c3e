import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import Ajv from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DEPLOY } from './support/programs.ts'

interface Service {
  readonly image: string
  readonly user?: string
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly restart: string
  readonly profiles?: readonly string[]
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: unknown
  readonly command?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: object
  readonly volumes: object
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const text = await readFile(join(DEPLOY, 'compose.yaml'), 'utf8')
const compose = parse(text, { merge: true }) as Compose
const services = Object.entries(compose.services)

/** The job of compose.yaml; no other service is ours. */
const nightly = compose.services['nightly'] as Service

describe('deploy/compose.yaml', () => {
  test('is valid by the schema of the compose specification, which refuses a mistake', async () => {
    // of the specification, in a package of a linter for compose files
    const linter = dirname(createRequire(import.meta.url).resolve('dclint/package.json'))
    const { $schema: _, ...schema } = JSON.parse(await readFile(join(linter, 'schemas/compose.schema.json'), 'utf8'))
    const ajv = new Ajv.default({ strict: false, allErrors: true, validateFormats: false })
    const isValid = ajv.compile(schema)
    isValid(compose)
    expect(isValid.errors).toBeNull()
    expect(isValid(parse(text.replace('stop_grace_period', 'stop_grace'), { merge: true }))).toBe(false)
  })

  test.each(services)('%s gets no right, writes nothing to its image, and starts again', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    })
    expect(service).not.toHaveProperty('privileged')
    expect(service.image).toMatch(/^[\w./-]+(?::[\w.-]+)?$/)
    expect(service.image.endsWith(':latest')).toBe(false)
  })

  test('everything that a service names exists, and everything that is declared is used', () => {
    const named = (pick: (service: Service) => readonly string[]) => [...new Set(services.flatMap(([, s]) => pick(s)))]
    const mounted = named(({ volumes }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
    expect(named(({ secrets = [] }) => secrets).sort()).toEqual(Object.keys(compose.secrets).sort())
    expect(named(({ networks }) => networks).sort()).toEqual(Object.keys(compose.networks).sort())
    expect(mounted.filter((name) => !name.startsWith('.')).sort()).toEqual(Object.keys(compose.volumes).sort())
  })

  test('secrets are files: no environment, command or file of the repository holds one', async () => {
    for (const [name, { environment = {}, command = [] }] of services) {
      const values = [...Object.entries(environment).map(([key, value]) => `${key}=${value}`), ...command]
      expect(
        values.filter((value) => /(?:PASSWORD|TOKEN)=|:\/\/[^/]*:[^/]*@/.test(value)),
        name,
      ).toEqual([])
    }
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      expect(text).toContain(`#   secrets/${name} `)
      expect(file).toBe(`./secrets/${name}`)
    }
    expect(await readFile(join(DEPLOY, '../.gitignore'), 'utf8')).toMatch(/^deploy\/secrets\/$/m)
  })

  test('without a profile: Postgres and the job; Grafana on loopback is in the profile monitoring', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined).map(([name]) => name)
    expect(always.sort()).toEqual(['nightly', 'postgres'])
    expect(services.flatMap(([, { ports = [] }]) => ports)).toEqual(['127.0.0.1:3000:3000'])
    expect(compose.services['grafana']?.profiles).toEqual(['monitoring'])
    expect(compose.services['postgres']?.networks).toEqual(['database'])
  })

  test('the paths of the settings that its comment names are those of its volumes', async () => {
    await using scratch = await scratchDirectory()
    const out = /`out: (\S+)`/.exec(text)?.[1] ?? ''
    const metrics = /`metrics_file: (\S+)`/.exec(text)?.[1] ?? ''
    const mounts = nightly.volumes.map((volume) => volume.split(':')[1] ?? '')
    expect(mounts.some((mount) => out.startsWith(`${mount}/`))).toBe(true)
    expect(mounts.some((mount) => metrics.startsWith(`${mount}/`))).toBe(true)
    const yaml = `base_url: https://collab.example.com\nnightly:\n  out: ${out}\n  metrics_file: ${metrics}\n`
    await writeFile(join(scratch.path, 'collab.yaml'), yaml)
    const env = { COLLAB_TOKEN: 'x', DATABASE_URL: nightly.environment?.['DATABASE_URL'] ?? '' }
    expect(await run('collab-nightly', ['config'], { cwd: scratch.path, env })).toMatchObject({ code: 0, stderr: '' })
  })
})
