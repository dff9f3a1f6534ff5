// Tests of deploy/monitoring: alerts and dashboard name only metrics that are served, and promtool accepts the rules.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { choosePort, startTestApp } from '@tern/testkit/app'
import { readConfig } from '../runtime/config.ts'
import { startWorker } from '../../worker.ts'

const project = fileURLToPath(new URL('../../../../../', import.meta.url))
const folder = `${project}deploy/monitoring`
const readText = (name: string): string => fs.readFileSync(`${folder}/${name}`, 'utf8')

const rules = readText('tern.rules.yml')
const cases = readText('tern.rules.test.yml')
const dashboard = readText('grafana-dashboard.json')

interface Alert {
  readonly name: string
  readonly text: string
}

const alerts: Alert[] = rules
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)?.[0] ?? '', text }))

/** Returns the names of Tern's metrics in a text, without the suffixes of a histogram. */
const listMetrics = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\btern_[a-z_]*[a-z]\b/g)].map(([name]) =>
      name.replace(/(?<=_(?:seconds|movements))_(bucket|sum|count)$/, ''),
    ),
  ),
]

/** Returns the anchor of a heading, as in links to it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

describe('names', () => {
  let servedMetrics = new Set<string>()
  let servedLabels = new Map<string, Set<string>>()

  beforeAll(async () => {
    const world = await startTestApp()
    const port = await choosePort()
    const worker = await startWorker(
      readConfig({
        SANDBOX_URL: world.sandboxUrl,
        SANDBOX_SECRET: world.sandboxSecret,
        TERN_SECRET: world.secret,
        ADMIN_PORT: String(port),
        LOG_LEVEL: 'silent',
      }),
      world.database.applicationUrl,
    )
    const appText = await (await world.readAsOperator('/metrics')).text()
    const workerText = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const text = `${appText}\n${workerText}`
    servedMetrics = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
    servedLabels = collectLabels(text)
    await worker.close()
    await world.close()
  })

  test('every metric in rules, cases and dashboard is served by an app or a worker', () => {
    for (const text of [rules, cases, dashboard]) {
      const names = listMetrics(text)
      expect(names.length).toBeGreaterThan(25)
      expect(names.filter((name) => !servedMetrics.has(name))).toEqual([])
    }
  })

  test('every label that rules and dashboard select by is one of its metric', () => {
    const selections = [...`${rules}\n${dashboard.replaceAll('\\"', '"')}`.matchAll(/\b(tern_\w+)\{([^}]+)\}/g)]
    expect(selections.length).toBeGreaterThan(5)
    for (const [selection, name = '', matchers = ''] of selections) {
      const labels = [...matchers.matchAll(/(\w+)(?:=|!=|=~)"/g)].map(([, label = '']) => label)
      const known = servedLabels.get(name) ?? new Set()
      expect(
        labels.filter((label) => label !== 'job' && !known.has(label)),
        selection,
      ).toEqual([])
    }
  })
})

function collectLabels(text: string): Map<string, Set<string>> {
  const labelsByName = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    const known = labelsByName.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    labelsByName.set(name, known)
  }
  return labelsByName
}

test('every alert says what happened, what to do, and where the documentation describes it', () => {
  expect(alerts.length).toBeGreaterThan(30)
  for (const { name, text } of alerts) {
    expect(text, name).toMatch(/^ {10}summary: .+\.['"]?$/m)
    expect(text, name).toMatch(/^ {10}action: .+\.['"]?$/m)
    expect(text, name).toMatch(/^ {10}severity: (critical|warning)$/m)
    const [, file = '', anchor = ''] = /^ {10}runbook: (docs\/[\w-]+\.md)#([\w-]+)$/m.exec(text) ?? []
    const headings = [...fs.readFileSync(project + file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      toAnchor(heading),
    )
    expect(headings, `${name}: ${file}#${anchor}`).toContain(anchor)
  }
})

test('docs/operating.md lists exactly the alerts', () => {
  const guide = fs.readFileSync(`${project}docs/operating.md`, 'utf8')
  const rows = [...guide.matchAll(/^\| `(Tern\w+)` \| (\w+) \|/gm)].map(([, name, severity]) => `${name} ${severity}`)
  const expectedRows = alerts.map(({ name, text }) => `${name} ${/severity: (\w+)/.exec(text)?.[1]}`)
  expect(rows).toEqual(expectedRows)
})

test('every alert has a case in which it fires and one in which all is well', () => {
  const [well = '', ...firing] = cases.split(/^ {2}- name: /m).slice(1)
  expect(firing.length).toBe(alerts.length)
  for (const { name } of alerts) {
    expect(well, name).toMatch(new RegExp(`alertname: ${name}\\n {8}exp_alerts: \\[\\]`))
    expect(
      firing.filter((text) => new RegExp(`alertname: ${name}\\n {8}exp_alerts:\\n`).test(text)),
      name,
    ).toHaveLength(1)
  }
})

test('the dashboard has a query and a place of its own for every panel', () => {
  const { panels } = JSON.parse(dashboard) as {
    panels: { id: number; type: string; targets?: { expr: string }[]; gridPos: Record<string, number> }[]
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length)
  for (const { id, type, targets = [] } of panels) {
    if (type !== 'row') expect(targets.length, `panel ${id}`).toBeGreaterThan(0)
  }
})

const hasPromtool = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.runIf(hasPromtool)('promtool', () => {
  test.each([
    ['accepts the rules', ['check', 'rules', 'tern.rules.yml']],
    ['accepts the example configuration', ['check', 'config', 'prometheus.yml']],
    ['finds every alert as its cases expect', ['test', 'rules', 'tern.rules.test.yml']],
  ])('%s', (_title, command) => {
    expect(execFileSync('promtool', command, { cwd: folder, encoding: 'utf8' })).toContain('SUCCESS')
  })

  test('parses every query of the dashboard', () => {
    const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const text = queries.map((query, index) => `  - record: query:${index}\n    expr: ${JSON.stringify(query)}`)
    const file = `${fs.mkdtempSync('/tmp/tern-queries-')}/queries.yml`
    fs.writeFileSync(file, `groups:\n- name: queries\n  rules:\n${text.join('\n')}\n`)
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(
      `${queries.length} rules`,
    )
    fs.rmSync(file)
  })
})
