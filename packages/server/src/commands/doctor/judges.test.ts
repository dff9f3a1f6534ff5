import { expect, test } from 'vitest'
import { judgeArchiver, judgeConnections, judgeReplication, judgeSettings } from './database.ts'
import { judgeLag } from './log.ts'
import { judgeProxies } from './public-address.ts'
import { hideSecrets } from './report.ts'

const soundSettings = {
  ...{ synchronousCommit: 'on', fsync: 'on', fullPageWrites: 'on', encoding: 'UTF8', timeZone: 'Etc/UTC' },
}
const standby = { name: 'second', state: 'streaming', syncState: 'sync', lagSeconds: 0.2 } as const
const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour))

test.each([
  ['fsync off', judgeSettings({ ...soundSettings, fsync: 'off' }), 'fault', /^fsync is off/],
  ['torn pages', judgeSettings({ ...soundSettings, fullPageWrites: 'off' }), 'fault', /^full_page_writes is off/],
  ['another encoding', judgeSettings({ ...soundSettings, encoding: 'LATIN1' }), 'fault', /LATIN1/],
  ['few connections', judgeConnections({ used: 12, most: 97 }), 'ok', /^12 of 97/],
  ['many connections', judgeConnections({ used: 80, most: 97 }), 'warning', /^80 of 97/],
  ['all connections', judgeConnections({ used: 96, most: 97 }), 'fault', /^96 of 97/],
  ['no standby', judgeReplication('', []), 'ok', /^No standby/],
  ['a missing synchronous standby', judgeReplication('second', []), 'fault', /no standby is connected/],
  ['a synchronous standby', judgeReplication('second', [standby]), 'ok', /second is streaming, and one is synchronous/],
  ['a standby that fell asynchronous', judgeReplication('x', [{ ...standby, syncState: 'async' }]), 'fault', /none is/],
  ['a late standby', judgeReplication('', [{ ...standby, lagSeconds: 90 }]), 'warning', /90 s behind/],
  ['a hidden standby', judgeReplication('', [{ ...standby, state: null }]), 'not_checked', /may not see its state/],
  ['a log without a backlog', judgeLag({ postings: 0, oldestAt: null }, at(9)), 'ok', /^Every posting/],
  ['a fresh posting', judgeLag({ postings: 1, oldestAt: at(9) }, at(9)), 'ok', /^1 posting not in the log yet/],
  [
    'a late log',
    judgeLag({ postings: 7, oldestAt: new Date(at(9).getTime() - 180_000) }, at(9)),
    'warning',
    /for 3 minutes/,
  ],
  ['a log that is stuck', judgeLag({ postings: 7, oldestAt: at(8) }, at(9)), 'fault', /for 60 minutes/],
  ['no archive', judgeArchiver({ mode: 'off', archivedAt: null, failedAt: null, now: at(9) }), 'warning', /is off/],
  [
    'an archiver that fails',
    judgeArchiver({ mode: 'on', archivedAt: at(7), failedAt: at(8), now: at(9) }),
    'fault',
    /failed/,
  ],
  [
    'an archiver that recovered',
    judgeArchiver({ mode: 'on', archivedAt: at(8), failedAt: at(7), now: at(9) }),
    'ok',
    /last/,
  ],
  [
    'nothing archived',
    judgeArchiver({ mode: 'on', archivedAt: null, failedAt: null, now: at(9) }),
    'warning',
    /^Nothing/,
  ],
  [
    'an old archive',
    judgeArchiver({ mode: 'on', archivedAt: at(1), failedAt: null, now: at(30) }),
    'warning',
    /^The last/,
  ],
  [
    'a proxy that replaces the header',
    judgeProxies({ address: '192.0.2.1', forwarded: ['192.0.2.1'] }, 1, true),
    'ok',
    /1 proxy/,
  ],
  [
    'TLS without forwarding',
    judgeProxies({ address: '10.0.0.1', forwarded: ['203.0.113.77'] }, 0, true),
    'fault',
    /everyone/,
  ],
  ['no proxy at all', judgeProxies({ address: '10.0.0.1', forwarded: ['203.0.113.77'] }, 0, false), 'ok', /0 proxies/],
] as const)('%s is judged as it is', (_name, judged, verdict, found) => {
  const [finding, ...others] = [judged].flat()
  expect(others).toEqual([])
  expect(finding).toMatchObject({ verdict, found: expect.stringMatching(found) })
})

test('secrets that others quote are not shown', () => {
  const environment = {
    STRIPE_SECRET_KEY: 'rk_live_51abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_first,whsec_second',
    DATABASE_URL: 'postgres://tern:pass%40word@db.example/tern',
    REPLICA_DATABASE_URL: 'postgres://tern:first-one@a.example/tern, postgres://tern:second-one@b.example/tern',
    TERN_OLD_SECRET_2: 'an old one',
    PORT: '3000',
  }
  const quoted = 'rk_live_51abcdef, whsec_second, pass@word, pass%40word, an old one, first-one, second-one, port 3000'
  expect(hideSecrets(quoted, environment)).toBe('…, …, …, …, …, …, …, port 3000')
})
