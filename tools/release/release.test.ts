import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sbom } from '../licences/sbom.ts'
import { ReleaseError, writeRelease } from './release.ts'

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-release-'))
const root = path.join(work, 'checkout')
afterAll(() => fs.rmSync(work, { recursive: true }))

const git = (...parameters: readonly string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=T', '-c', 'user.email=t@tern.example', ...parameters])
const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}
const commit = () => {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Change')
}
const release = (name: string) => writeRelease({ root, folder: path.join(work, name) })
const readFile = (name: string, file: string) => fs.readFileSync(path.join(work, name, file))

beforeAll(() => {
  fs.mkdirSync(root)
  git('init', '--quiet')
  write('package.json', JSON.stringify({ name: 'tern', version: '1.2.3' }))
  write('docs/releases/1.2.3.md', '# Tern 1.2.3\n')
  write('CHANGELOG.md', '# Changelog\n\n## 1.2.3 - 2026-12-24\n')
  write('packages/server/src/main.ts', 'export {}\n')
  commit()
})

test('a release has the source, a bill of materials, notes, and checksums that hold', () => {
  const files = release('first')
  expect(files).toEqual(['tern-1.2.3.tar.gz', 'tern-1.2.3.cdx.json', 'tern-1.2.3.md', 'SHA256SUMS'])
  const folder = path.join(work, 'first')
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
  const names = execFileSync('tar', ['tzf', 'tern-1.2.3.tar.gz'], { cwd: folder, encoding: 'utf8' })
  expect(names).toContain('tern-1.2.3/packages/server/src/main.ts\n')
  const sbom = JSON.parse(readFile('first', 'tern-1.2.3.cdx.json').toString()) as Sbom
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'tern' } } })
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(sbom.components.some(({ name }) => name === 'fastify')).toBe(true)
})

test('the same commit gives the same bytes, another one different ones', () => {
  const files = release('again')
  for (const file of files) expect(readFile('again', file).equals(readFile('first', file)), file).toBe(true)
  write('NOTICE', 'new\n')
  commit()
  release('changed')
  for (const file of ['tern-1.2.3.tar.gz', 'tern-1.2.3.cdx.json', 'SHA256SUMS']) {
    expect(readFile('changed', file).equals(readFile('first', file)), file).toBe(false)
  }
})

test.each([
  ['an existing folder', () => fs.mkdirSync(path.join(work, 'refused')), /exists; a release needs a new folder/],
  ['uncommitted changes', () => write('new.ts', ''), /^The checkout has changes; commit them\.$/],
  [
    'missing notes',
    () => fs.rmSync(path.join(root, 'docs/releases/1.2.3.md')),
    /^docs\/releases\/1\.2\.3\.md is missing/,
  ],
  ['unreleased changes', () => write('CHANGELOG.md', '## Unreleased\n'), /^CHANGELOG\.md begins with "## Unreleased"/],
])('%s: refused, and nothing is written', (name, change, sentence) => {
  change()
  if (name !== 'uncommitted changes' && name !== 'an existing folder') commit()
  expect(() => release('refused')).toThrow(ReleaseError)
  expect(() => release('refused')).toThrow(sentence)
  if (name === 'an existing folder') fs.rmdirSync(path.join(work, 'refused'))
  else {
    expect(fs.existsSync(path.join(work, 'refused'))).toBe(false)
    git('clean', '--quiet', '--force')
    if (name !== 'uncommitted changes') git('reset', '--quiet', '--hard', 'HEAD~1')
  }
})
