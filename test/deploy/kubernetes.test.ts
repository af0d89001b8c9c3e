import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { DEPLOY, ran } from './support/programs.ts'
import { typeErrors } from './support/types.ts'

const KUBERNETES = join(DEPLOY, 'kubernetes')

const VERSION: string = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8')).version

/** In no kustomization. */
const EXAMPLE = 'secret.example.yaml'

const read = (file: string) => readFileSync(join(KUBERNETES, file), 'utf8')

interface Manifest {
  readonly file: string
  readonly apiVersion: string
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: a manifest of any kind
  readonly [field: string]: any
}

/** The manifests of a file's text. Kubernetes reads YAML 1.1, in which 0440 is octal. */
function manifestsIn(text: string, file: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1', merge: true }).map((document) => ({ file, ...document.toJS() }))
}

const manifests = globSync('*/*.yaml', { cwd: KUBERNETES })
  .concat(EXAMPLE)
  .filter((file) => !/(?:kustomization|collab)\.yaml$/.test(file))
  .flatMap((file) => manifestsIn(read(file), file))

const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)

/** The pods of the job and of the workers. */
const pods = [
  ...of('CronJob').map(({ spec }) => spec.jobTemplate.spec.template),
  ...of('Deployment').map(({ spec }) => spec.template),
]

describe('deploy/kubernetes', () => {
  test('has the kinds that it needs', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      ...['CronJob', 'Deployment', 'Namespace', 'NetworkPolicy', 'PersistentVolumeClaim', 'Secret', 'ServiceAccount'],
    ])
  })

  test.each(manifests.map((manifest) => [manifest.file, manifest] as const))(
    '%s has the values that Kubernetes allows',
    async (_, { file: __, ...manifest }) => {
      const { [manifest['kind'] as string]: model } = await import(
        ['kubernetes-models', manifest['apiVersion']].join('/')
      )
      expect(() => new model(manifest).validate()).not.toThrow()
      expect(() => new model({ ...manifest, metadata: { name: 5 } }).validate()).toThrow()
    },
  )

  test('no manifest has a field that Kubernetes does not know', async () => {
    const objects = manifests.map(({ file: _, ...manifest }) => manifest)
    expect(await fieldErrors(objects)).toEqual([])
    const mistaken = JSON.parse(JSON.stringify(objects).replace('readOnlyRootFilesystem', 'readonlyRootFilesystem'))
    expect(await fieldErrors(mistaken)).toEqual([expect.stringMatching(/readonlyRootFilesystem"?' does not exist/)])
  })

  test('the kustomizations name every manifest but the example, and files that exist', () => {
    const named = ['base', 'workers'].flatMap((name) => {
      const { resources, configMapGenerator } = parse(read(`${name}/kustomization.yaml`))
      const [{ name: settings, files }] = configMapGenerator
      expect([settings, files]).toEqual(['collab-settings', ['collab.yaml']])
      return resources.map((path: string) => join(name, path))
    })
    expect(named.sort()).toEqual(
      [...manifests.map(({ file }) => file), 'base'].filter((file) => file !== EXAMPLE).sort(),
    )
  })

  test.for([
    ['base', 1],
    ['workers', 2],
  ] as const)(
    'kustomize builds %s: each pod has the image of the registry and its settings',
    async ([name, count], { skip }) => {
      const built = await kustomize(name)
      if (built === null) return skip('kubectl is not installed, or its kustomize is from before 2021')
      const all = manifestsIn(built, name)
      expect(all.every(({ kind, metadata }) => kind === 'Namespace' || metadata.namespace === 'collab-etl')).toBe(true)
      expect(all.map(({ kind }) => kind)).not.toContain('Secret')
      const settings = all.find(({ kind }) => kind === 'ConfigMap')
      const templates = all.flatMap(({ spec }) => spec?.jobTemplate?.spec.template ?? spec?.template ?? [])
      expect(templates).toHaveLength(count)
      for (const { spec } of templates) {
        expect(spec.containers[0].image).toBe(`registry.example.com/collab-etl:${VERSION}`)
        expect(JSON.stringify(spec.volumes)).toContain(settings?.['metadata'].name)
      }
      const isByWorkers = settings?.['data']['collab.yaml'].includes('workers: 0')
      expect(isByWorkers).toBe(name === 'workers')
    },
  )

  test('pods run as another user than root, without rights, on a read-only root', () => {
    expect(pods).toHaveLength(2)
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        automountServiceAccountToken: false,
        serviceAccountName: 'collab-etl',
      })
      expect(spec).not.toHaveProperty('hostNetwork')
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources.limits.memory).toBeTruthy()
        expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toContain('/tmp')
      }
    }
  })

  test('each volume that is mounted, and each claim, account and key of a secret, exists', () => {
    const [secret] = of('Secret')
    const keys = Object.keys(secret?.['stringData'])
    for (const { spec } of pods) {
      const volumes = new Map(spec.volumes.map((volume: { name: string }) => [volume.name, volume]))
      for (const { volumeMounts, env } of spec.containers) {
        for (const { name } of volumeMounts) expect(volumes.has(name), name).toBe(true)
        for (const { valueFrom } of env) if (valueFrom) expect(keys).toContain(valueFrom.secretKeyRef.key)
      }
      for (const { persistentVolumeClaim: claim, secret: mounted } of spec.volumes) {
        if (claim) expect(of('PersistentVolumeClaim').map(({ metadata }) => metadata.name)).toContain(claim.claimName)
        if (mounted) expect([mounted.secretName, mounted.defaultMode]).toEqual([secret?.['metadata'].name, 0o440])
      }
      expect(of('ServiceAccount')[0]?.['metadata'].name).toBe(spec.serviceAccountName)
    }
  })

  test('the network policy is for these pods, and lets nothing in', () => {
    const [{ podSelector, policyTypes, ingress }] = of('NetworkPolicy').map(({ spec }) => spec)
    expect([policyTypes, ingress]).toEqual([['Ingress', 'Egress'], []])
    for (const { metadata } of pods) expect(metadata.labels).toMatchObject(podSelector.matchLabels)
  })

  test('the example of the secret holds no value that could be real', () => {
    const values = of('Secret').flatMap(({ stringData }) => Object.values(stringData))
    expect(values).toHaveLength(2)
    for (const value of values) expect(value).toMatch(/REPLACE-WITH-THE-/)
  })

  test.each(['base', 'workers'])('the job accepts the settings of %s', async (name) => {
    const env = { COLLAB_TOKEN: 'x', DATABASE_URL: 'postgres://u@db.example/x' }
    const ran = await run('collab-nightly', ['config', '--config', join(KUBERNETES, name, 'collab.yaml')], { env })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain('out: /var/lib/collab/backups')
  })
})

/** The manifests that kubectl builds of a kustomization; `null`: no kubectl is installed, or one whose kustomize takes no directories. */
async function kustomize(name: string): Promise<string | null> {
  const version = await ran('kubectl', ['version', '--client', '--output=json'])
  if (version === null || Number(JSON.parse(version).clientVersion.minor.match(/\d+/)[0]) < 21) return null
  return await ran('kubectl', ['kustomize', name], KUBERNETES)
}

/** The errors in manifests that are written out as values of Kubernetes' types. */
async function fieldErrors(objects: readonly Record<string, unknown>[]): Promise<string[]> {
  return await typeErrors(
    objects.flatMap(({ apiVersion, kind, ...fields }, index) => [
      `import { ${kind} as Kind${index} } from 'kubernetes-models/${apiVersion}'`,
      `new Kind${index}(${JSON.stringify(fields)})`,
    ]),
  )
}
