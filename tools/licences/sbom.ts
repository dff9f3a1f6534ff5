import { type Bundled, bundled } from './bundled.ts'
import { licenceOf, type NpmPackage } from './lock.ts'

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

/** A CycloneDX 1.5 bill of materials, with what is read or changed of it here. */
export interface Sbom {
  bomFormat: string
  specVersion: string
  serialNumber: string
  version: number
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** A licence as CycloneDX writes it: one id, an expression, or a name where SPDX has none. */
function licencesOf(expression: string | undefined): LicenceEntry[] {
  if (expression === undefined) return []
  if (/ (AND|OR) /.test(expression)) return [{ expression }]
  const name = /^LicenseRef-(.+)/.exec(expression)?.[1]
  return [{ license: name === undefined ? { id: expression } : { name: name.replaceAll('-', ' ') } }]
}

const ofBundled = ({ name, licence, source }: Bundled): Component => ({
  'bom-ref': `bundled:${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
  type: ['PostgreSQL', 'Node.js', 'Swagger UI'].includes(name) ? 'application' : 'data',
  name,
  licenses: licencesOf(licence),
  externalReferences: [{ type: 'website', url: source }],
})

/** A package's name as its purl gives it: npm writes the folder's name for the packages of a workspace. */
const nameOf = ({ purl = '', name }: Component) => /^pkg:npm\/(.+)@[^@]+$/.exec(purl)?.[1]?.replace('%40', '@') ?? name

const isPackageIn = (packages: readonly NpmPackage[]) => {
  const names = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  return (component: Component) => {
    const isOurs = component.properties?.some(({ name }) => name === 'cdx:npm:package:private')
    return isOurs === true || names.has(`${nameOf(component)}@${component.version}`)
  }
}

/** A component of npm's bill with its whole name and its licence as it really is. */
function corrected(component: Component): Component {
  const name = nameOf(component)
  const declared = component.licenses?.flatMap((each) =>
    'expression' in each ? [each.expression] : 'id' in each.license ? [each.license.id] : [],
  )[0]
  const properties = component.properties?.filter((each) => each.name !== 'cdx:npm:package:development') ?? []
  return { ...component, name, properties, licenses: licencesOf(licenceOf(name, declared)) }
}

/**
 * Makes the bill of materials of a production installation from npm's of everything: development tools leave, licences are
 * corrected, and what is bundled besides packages joins.
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
