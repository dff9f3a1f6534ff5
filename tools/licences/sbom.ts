import { type Bundled, bundled } from './bundled.ts'
import { resolveLicence, type NpmPackage } from './lock.ts'

type LicenceEntry = { license: { id: string } | { name: string } } | { expression: string }

interface Component {
  'bom-ref'?: string
  type: string
  name: string
  version?: string
  purl?: string
  licenses?: LicenceEntry[]
  properties?: { name: string; value: string }[]
  externalReferences?: { type: string; url: string }[]
}

/** CycloneDX 1.5 bill of materials, limited to the used fields. */
export interface Sbom {
  bomFormat: string
  specVersion: string
  serialNumber: string
  version: number
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** Converts a licence to CycloneDX: an id, an expression, or a name for licences unknown to SPDX. */
function toLicences(expression: string | undefined): LicenceEntry[] {
  if (expression === undefined) return []
  if (/ (AND|OR) /.test(expression)) return [{ expression }]
  const name = /^LicenseRef-(.+)/.exec(expression)?.[1]
  return [{ license: name === undefined ? { id: expression } : { name: name.replaceAll('-', ' ') } }]
}

const ofBundled = ({ name, licence, source }: Bundled): Component => ({
  'bom-ref': `bundled:${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
  type: ['PostgreSQL', 'Node.js', 'Swagger UI'].includes(name) ? 'application' : 'data',
  name,
  licenses: toLicences(licence),
  externalReferences: [{ type: 'website', url: source }],
})

/** Returns a package's name from its purl: for workspace packages npm's `name` is the folder's. */
const nameOf = ({ purl = '', name }: Component) => /^pkg:npm\/(.+)@[^@]+$/.exec(purl)?.[1]?.replace('%40', '@') ?? name

const isPackageIn = (packages: readonly NpmPackage[]) => {
  const names = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  return (component: Component) => {
    const isOurs = component.properties?.some(({ name }) => name === 'cdx:npm:package:private')
    return isOurs === true || names.has(`${nameOf(component)}@${component.version}`)
  }
}

/** Returns a component of npm's bill with its full name and corrected licence. */
function corrected(component: Component): Component {
  const name = nameOf(component)
  const declared = component.licenses?.flatMap((each) =>
    'expression' in each ? [each.expression] : 'id' in each.license ? [each.license.id] : [],
  )[0]
  const properties = component.properties?.filter((each) => each.name !== 'cdx:npm:package:development') ?? []
  return { ...component, name, properties, licenses: toLicences(resolveLicence(name, declared)) }
}

/**
 * Derives the bill of materials of a production installation from npm's complete one: removes development tools,
 * corrects licences, and adds bundled material other than packages.
 */
export function productionSbom(all: Sbom, packages: readonly NpmPackage[], product: { name: string }): Sbom {
  const isNeeded = isPackageIn(packages)
  const kept = all.components.filter(isNeeded).map(corrected)
  const components = [...kept, ...bundled.map(ofBundled)]
  const root = all.metadata.component
  const refs = new Set([root['bom-ref'], ...components.map((component) => component['bom-ref'])])
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [
        ...dependsOn.filter((each) => refs.has(each)),
        ...(ref === root['bom-ref'] ? bundled.map((each) => ofBundled(each)['bom-ref'] ?? '') : []),
      ],
    }))
  const component = { ...root, name: product.name, type: 'application' }
  return { ...all, metadata: { ...all.metadata, component }, components, dependencies }
}
