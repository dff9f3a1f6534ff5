import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundled, projectOwnedFiles } from './bundled.ts'
import { filesHaveOwners, licencesAreAllowed, noticeIsComplete, replacePackageList } from './licences.ts'
import { type Lock, productionPackages } from './lock.ts'
import { npmSbom, readLock, rootFile } from './project.ts'
import { productionSbom, type Sbom } from './sbom.ts'
import manifest from '../../package.json' with { type: 'json' }

const generatedPattern = /^(node_modules|build|screens|test-results|playwright-report|\.(git|data|cache|react-router))$/

function projectFiles(folder = ''): string[] {
  return fs.readdirSync(rootFile(folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (generatedPattern.test(entry.name)) return []
    return entry.isDirectory() ? projectFiles(file) : [file]
  })
}

const packages = productionPackages(readLock())
const notice = fs.readFileSync(rootFile('NOTICE'), 'utf8')

describe('the project', () => {
  test('uses allowed licences only', () => expect(licencesAreAllowed(packages, bundled)).toEqual([]))
  test('names all third-party work in NOTICE', () => expect(noticeIsComplete(notice, packages, bundled)).toEqual([]))
  test('names the Creative Commons licence of each data set, with its address', () => {
    const parts = notice.split('\n\n')
    const describeSource = ({ licence, source }: (typeof bundled)[number]) => {
      const [, kind = '', version = ''] = /\bCC-(BY(?:-SA)?)-([\d.]+)/.exec(licence) ?? []
      if (kind === '') return []
      const address = `https://creativecommons.org/licenses/${kind.toLowerCase()}/${version}/`
      return [[source, parts.some((part) => part.includes(source) && part.includes(address))]]
    }
    const all = bundled.flatMap(describeSource)
    expect(all.length).toBeGreaterThan(2)
    expect(all.filter(([, isMentioned]) => isMentioned !== true)).toEqual([])
  })
  test('attributes every file to an owner', () =>
    expect(filesHaveOwners(projectFiles(), bundled, projectOwnedFiles)).toEqual([]))
})

describe('production packages', () => {
  const lock: Lock = {
    packages: {
      '': { dependencies: {}, optionalDependencies: { binary: '1' } },
      'packages/a': { dependencies: { '@ours/b': '1', shared: '1' } },
      'packages/b': { dependencies: { deep: '1' } },
      'node_modules/@ours/b': { link: true, resolved: 'packages/b' },
      'node_modules/binary': { version: '1.0.0', license: 'MIT' },
      'node_modules/shared': { version: '1.0.0', license: 'ISC', dependencies: { deep: '2' } },
      'node_modules/shared/node_modules/deep': { version: '2.0.0', license: 'MIT' },
      'node_modules/deep': {
        version: '1.0.0',
        license: '(MIT OR GPL-3.0)',
        peerDependencies: { peer: '1', optional: '1' },
        peerDependenciesMeta: { optional: { optional: true } },
      },
      'node_modules/peer': { version: '1.0.0' },
      'node_modules/optional': { version: '1.0.0', license: 'MIT' },
      'node_modules/tool': { version: '1.0.0', license: 'MIT', dependencies: { shared: '1' } },
    },
  }

  test('are what the product needs, in each version, not what tools need', () => {
    const installedPackages = productionPackages(lock).map(({ name, version }) => `${name}@${version}`)
    expect(installedPackages).toEqual(['binary@1.0.0', 'deep@1.0.0', 'deep@2.0.0', 'peer@1.0.0', 'shared@1.0.0'])
  })

  test('include packages that npm omits because development tools need them too', () => {
    const names = packages.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['react', 'react-dom', 'pg-protocol', 'nodemailer', 'stripe']))
    for (const tool of ['vite', 'vitest', 'typescript', 'oxlint']) expect(names).not.toContain(tool)
  })
})

describe('the rules find', () => {
  const npm = (name: string, licence?: string) => ({ name, version: '1.0.0', licence })

  test('licences that are missing, forbidden, or allowed for data only', () => {
    const checkLicence = (licence?: string, data = false) =>
      licencesAreAllowed([npm('x', licence)], data ? [{ name: 'X', licence: 'CC0-1.0', source: '', npm: 'x' }] : [])
    for (const licence of ['MIT', 'ISC AND MIT', 'GPL-3.0 OR MIT', '(MIT OR GPL-3.0)'])
      expect(checkLicence(licence)).toEqual([])
    for (const licence of [undefined, 'GPL-3.0', 'MIT AND GPL-3.0', 'SSPL-1.0', 'CC-BY-SA-3.0']) {
      expect(checkLicence(licence), licence).toHaveLength(1)
    }
    expect(checkLicence('ISC AND CC-BY-SA-3.0', true)).toEqual([])
    expect(licencesAreAllowed([], [{ name: 'X', licence: 'CC-BY-NC-4.0', source: '' }])).toHaveLength(1)
  })

  test('packages and parts missing from NOTICE, superfluous in it, or under another licence', () => {
    const part = { name: 'Face', licence: 'OFL-1.1', source: 'https://face.example', npm: 'face' }
    const text = replacePackageList('Face (npm package face, https://face.example)\n\n', [
      npm('a', 'MIT'),
      npm('b', 'ISC'),
    ])
    const checkNotice = (list: Parameters<typeof noticeIsComplete>[1], from = text) =>
      noticeIsComplete(from, list, [part])
    expect(checkNotice([npm('a', 'MIT'), npm('b', 'ISC')])).toEqual([])
    expect(checkNotice([npm('a', 'MIT')])).toHaveLength(1)
    expect(checkNotice([npm('a', 'MIT'), npm('b', 'ISC'), npm('c', 'MIT')])).toHaveLength(1)
    expect(checkNotice([npm('a', 'ISC'), npm('b', 'ISC')])).toHaveLength(2)
    expect(checkNotice([npm('a', 'MIT'), npm('b', 'ISC')], text.replace('https://face.example', ''))).toHaveLength(1)
  })

  test('files without an owner, and owners without a file', () => {
    const files = ['a/b.woff2', 'a/c.ts', 'LICENSE', '.npmrc', 'package.json', 'a/data.json']
    expect(filesHaveOwners(files, [], ['a/b*', 'a/data.json'])).toEqual([])
    expect(filesHaveOwners(files, [], ['a/b*'])).toHaveLength(1)
    expect(filesHaveOwners(files, [], ['a/b*', 'a/data.json', 'gone/*'])).toHaveLength(1)
  })
})

describe('the bill of materials', () => {
  const sbom: Sbom = productionSbom(npmSbom(), packages, manifest)
  const findComponent = (name: string) => sbom.components.find((component) => component.name === name)

  test('equals the output of tools/licences/main.ts', () => {
    const command = ['tools/run.mjs', 'tools/licences', 'sbom']
    const { stdout } = spawnSync(process.execPath, command, { cwd: rootFile(''), encoding: 'utf8' })
    expect((JSON.parse(stdout) as Sbom).components).toEqual(sbom.components)
  })

  test('is CycloneDX 1.5 of this product', () => {
    expect(sbom.bomFormat).toBe('CycloneDX')
    expect(sbom.specVersion).toBe('1.5')
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(sbom.version).toBe(1)
    expect(Date.parse(sbom.metadata.timestamp)).toBeGreaterThan(0)
    expect(sbom.metadata.component).toMatchObject({ type: 'application', name: 'tern', version: manifest.version })
  })

  test('lists every production package once, with version, purl and licence, and no tool', () => {
    const listedPurls = sbom.components.filter(({ type }) => type === 'library').map(({ purl }) => purl)
    const wanted = packages.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`)
    expect(listedPurls).toEqual(expect.arrayContaining(wanted))
    const unexpectedPurls = listedPurls.filter((purl) => !wanted.includes(purl ?? ''))
    expect(unexpectedPurls.every((purl) => purl?.startsWith('pkg:npm/%40tern/'))).toBe(true)
    expect(new Set(listedPurls).size).toBe(listedPurls.length)
    expect(sbom.components.filter(({ licenses }) => licenses === undefined || licenses.length === 0)).toEqual([])
    expect(findComponent('@tern/server')?.licenses).toEqual([{ license: { id: 'Apache-2.0' } }])
    expect(findComponent('fxa-common-password-list')?.licenses).toEqual([{ expression: 'MPL-2.0 AND CC-BY-SA-3.0' }])
    expect(findComponent('date-holidays')).toBeUndefined()
    expect(findComponent('vite')).toBeUndefined()
  })

  test('lists typefaces, maps and data', () => {
    for (const { name } of bundled) expect(findComponent(name), name).toBeDefined()
    expect(findComponent('Natural Earth')?.licenses).toEqual([{ license: { name: 'public domain' } }])
  })

  test('has references that all lead to one component', () => {
    const refs = [sbom.metadata.component, ...sbom.components].map((component) => component['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    const dependencyRefs = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn)
    const owners = sbom.dependencies.map(({ ref }) => ref)
    expect([...owners, ...dependencyRefs].filter((ref) => !refs.includes(ref))).toEqual([])
  })
})
