import { type BundledPart, bundled } from './bundled.ts'
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

const describeBundled = ({ name, licence, source }: BundledPart): Component => ({
  'bom-ref': `bundled:${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
  type: ['PostgreSQL', 'Node.js', 'Swagger UI'].includes(name) ? 'application' : 'data',
  name,
  licenses: toLicences(licence),
  externalReferences: [{ type: 'website', url: source }],
})

/** Returns a package's name from its purl, since npm's `name` of a workspace package is its folder name. */
const nameOf = ({ purl = '', name }: Component) => /^pkg:npm\/(.+)@[^@]+$/.exec(purl)?.[1]?.replace('%40', '@') ?? name

const createPackageCheck = (packages: readonly NpmPackage[]) => {
  const names = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  return (component: Component) => {
    const isPrivate = component.properties?.some(({ name }) => name === 'cdx:npm:package:private')
    return isPrivate === true || names.has(`${nameOf(component)}@${component.version}`)
  }
}

/** Returns a component of npm's bill with its full name and corrected licence. */
function applyCorrections(component: Component): Component {
  const name = nameOf(component)
  const declaredLicence = component.licenses?.flatMap((licenceEntry) =>
    'expression' in licenceEntry
      ? [licenceEntry.expression]
      : 'id' in licenceEntry.license
        ? [licenceEntry.license.id]
        : [],
  )[0]
  const properties = component.properties?.filter((property) => property.name !== 'cdx:npm:package:development') ?? []
  return { ...component, name, properties, licenses: toLicences(resolveLicence(name, declaredLicence)) }
}

/**
 * Derives the bill of materials of a production installation from npm's complete one: removes development tools,
 * corrects licences, and adds the parts listed in bundled.ts.
 */
export function productionSbom(all: Sbom, packages: readonly NpmPackage[], product: { name: string }): Sbom {
  const isNeeded = createPackageCheck(packages)
  const installedComponents = all.components.filter(isNeeded).map(applyCorrections)
  const components = [...installedComponents, ...bundled.map(describeBundled)]
  const root = all.metadata.component
  const refs = new Set([root['bom-ref'], ...components.map((component) => component['bom-ref'])])
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: [
        ...dependsOn.filter((dependency) => refs.has(dependency)),
        ...(ref === root['bom-ref'] ? bundled.map((part) => describeBundled(part)['bom-ref'] ?? '') : []),
      ],
    }))
  const component = { ...root, name: product.name, type: 'application' }
  return { ...all, metadata: { ...all.metadata, component }, components, dependencies }
}
