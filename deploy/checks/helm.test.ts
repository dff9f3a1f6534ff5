import { describe, expect, test } from 'vitest'
import { areChecksInstalled } from './installed.ts'
import { findSchemaFault, findUnknownFields, parseResources, type Resource, runHelm } from './helm.ts'

const required = ['settings.PUBLIC_URL=https://tern.example', 'database.backup.destinationPath=s3://backups/tern']
const variants: Readonly<Record<string, readonly string[]>> = {
  'its defaults': required,
  'an ingress, callers and more secrets': [
    ...required,
    'ingress.enabled=true',
    'ingress.className=nginx',
    'secrets.keys={TERN_SECRET,STRIPE_SECRET_KEY,STRIPE_WEBHOOK_SECRET}',
    'networkPolicy.callers[0].namespaceSelector.matchLabels.name=ingress',
    'imagePullSecrets[0].name=registry',
    'image.digest=sha256:0123',
  ],
  'reads from replicas': [...required, 'database.readReplicas=true'],
  'a database of its own': [...required, 'database.create=false', 'networkPolicy.enabled=false'],
}

async function render(values: readonly string[]): Promise<Resource[]> {
  const { status, output } = await runHelm('template', values)
  expect(status, output).toBe(0)
  return parseResources(output)
}

interface PodSpec {
  readonly securityContext: object
  readonly volumes: readonly { name: string; secret?: { items: readonly { key: string }[] } }[]
  readonly containers: readonly {
    args: readonly string[]
    env: readonly { name: string; value?: string }[]
    resources: { limits: { memory: string }; requests: object }
    securityContext: object
  }[]
}

/** Returns the pods that resources run, by name. */
const listPods = (resources: readonly Resource[]): Record<string, PodSpec> =>
  Object.fromEntries(
    resources.flatMap(({ metadata, spec }) => {
      const { template, jobTemplate } = (spec ?? {}) as Record<string, { spec: PodSpec & { template: never } }>
      const pod = template?.spec ?? (jobTemplate?.spec as { template?: { spec: PodSpec } } | undefined)?.template?.spec
      return pod === undefined ? [] : [[metadata.name, pod]]
    }),
  )

describe.runIf(areChecksInstalled)('the Helm chart', () => {
  test.each(Object.entries(variants))('passes helm lint with %s', async (_, values) => {
    expect(await runHelm('lint', values)).toMatchObject({ status: 0 })
  })

  test.each(Object.entries(variants))('with %s, every resource has only fields of its kind', async (_, values) => {
    const resources = await render(values)
    expect((await Promise.all(resources.map(findSchemaFault))).filter(Boolean)).toEqual([])
    expect(findUnknownFields(resources)).toBe('')
  })

  test('the check finds a field that a kind does not have, and a value that it does not permit', async () => {
    const resources = await render(required)
    const change = (from: string, to: string) => JSON.parse(JSON.stringify(resources).replace(from, to)) as Resource[]
    expect(findUnknownFields(change('"readinessProbe"', '"readynessProbe"'))).toContain('readynessProbe')
    expect(findUnknownFields(change('"dataDurability"', '"durability"'))).toContain('durability')
    const faults = await Promise.all(change('"method":"any"', '"method":"all"').map(findSchemaFault))
    expect(faults.filter(Boolean)).toEqual([expect.stringContaining('synchronous/method')])
  })

  test('every pod runs as an ordinary user on a read-only file system, with limits', async () => {
    const pods = listPods(await render(required))
    expect(Object.keys(pods).toSorted()).toEqual([
      'tern-app',
      'tern-audit',
      'tern-full-audit',
      'tern-lists',
      'tern-migrate',
      'tern-reconcile',
      'tern-worker',
    ])
    for (const [name, pod] of Object.entries(pods)) {
      expect(pod.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { securityContext, resources } of pod.containers) {
        const restrictions = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }
        expect(securityContext, name).toMatchObject({ ...restrictions, capabilities: { drop: ['ALL'] } })
        expect(resources.limits.memory, name).toMatch(/^\d+[MG]i$/)
      }
    }
  })

  test('only migrate gets the password of the owner', async () => {
    for (const values of [variants['its defaults'] ?? [], variants['a database of its own'] ?? []]) {
      for (const [name, pod] of Object.entries(listPods(await render(values)))) {
        expect(/owner|MIGRATION/i.test(JSON.stringify(pod)), name).toBe(name === 'tern-migrate')
      }
    }
  })

  test('secrets come from files of a Secret, never from values', async () => {
    const resources = await render(variants['an ingress, callers and more secrets'] ?? [])
    const [container] = listPods(resources)['tern-app']!.containers
    expect(container!.env).toContainEqual({
      name: 'STRIPE_SECRET_KEY_FILE',
      value: '/run/secrets/tern/STRIPE_SECRET_KEY',
    })
    expect(resources.some(({ kind }) => kind === 'Secret')).toBe(false)
  })

  test('a commit waits for a second machine, and is archived', async () => {
    const cluster = (await render(required)).find(({ kind }) => kind === 'Cluster')
    expect(cluster?.spec).toMatchObject({
      instances: 3,
      postgresql: { synchronous: { method: 'any', number: 1, dataDurability: 'required' } },
      backup: { barmanObjectStore: { destinationPath: 's3://backups/tern' } },
    })
  })

  test('apps read from replicas through a service that keeps a caller with one, on request', async () => {
    const readAddress = async (values: readonly string[]) =>
      listPods(await render(values))['tern-app']!.containers[0]!.env.find(({ name }) => name === 'REPLICA_DATABASE_URL')
    expect(await readAddress(required)).toBeUndefined()
    const values = variants['reads from replicas'] ?? []
    const { value } = (await readAddress(values)) ?? {}
    expect(value).toMatch(
      /^postgres:\/\/tern_app:\$\(APPLICATION_PASSWORD\)@tern-db-reads\.\w+\.svc\/tern\?sslmode=verify-full/,
    )
    const cluster = (await render(values)).find(({ kind }) => kind === 'Cluster')
    expect(cluster?.spec).toMatchObject({
      managed: {
        services: {
          additional: [
            {
              selectorType: 'ro',
              serviceTemplate: { metadata: { name: 'tern-db-reads' }, spec: { sessionAffinity: 'ClientIP' } },
            },
          ],
        },
      },
    })
    const { status, output } = await runHelm('template', [...values, 'database.instances=1'])
    expect(status).not.toBe(0)
    expect(output).toContain('database.readReplicas needs database.instances of at least 2')
  })

  test.each([
    ['settings.PUBLIC_URL=', 'settings.PUBLIC_URL must be set'],
    ['database.backup.destinationPath=', 'database.backup.destinationPath must name an object store'],
  ])('a missing value %s is named', async (value, sentence) => {
    const { status, output } = await runHelm('template', [...required, value])
    expect(status).not.toBe(0)
    expect(output).toContain(sentence)
  })
})
