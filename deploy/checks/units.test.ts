import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const units = path.join(import.meta.dirname, '..', 'systemd')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-units-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Copies the units with instances of the templates, and a program that exists. */
for (const name of fs.readdirSync(units).filter((each) => /\.(service|timer)$/.test(each))) {
  const text = fs.readFileSync(path.join(units, name), 'utf8').replaceAll('/opt/tern/bin/node', process.execPath)
  fs.writeFileSync(path.join(folder, name.replace('@', '@1')), text)
}
const copies = fs.readdirSync(folder).map((name) => path.join(folder, name))
const services = copies.filter((file) => file.endsWith('.service'))

function analyze(...parameters: readonly string[]): string {
  const { stdout, stderr } = spawnSync('systemd-analyze', parameters, {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
  })
  return stdout + stderr
}

describe.runIf(hasSystemd)('the systemd units', () => {
  test('are accepted by systemd without a warning', () => {
    const text = analyze('verify', '--man=no', ...copies)
    expect(text.split('\n').filter((line) => line.includes('tern-'))).toEqual([])
  })

  test.each(services.map((file) => path.basename(file)))('%s is exposed little', (name) => {
    const text = analyze('security', '--offline=true', '--no-pager', path.join(folder, name))
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1] ?? text
    expect(Number(exposure)).toBeLessThan(2)
  })

  test('each timer starts a service of its name', () => {
    const names = fs.readdirSync(folder)
    for (const timer of names.filter((name) => name.endsWith('.timer'))) {
      expect(names).toContain(timer.replace('.timer', '.service'))
    }
  })
})
