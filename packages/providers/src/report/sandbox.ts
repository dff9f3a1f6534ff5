import { readAmount } from '../card/sandbox.ts'
import { readDate, readList, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection, unreadable } from '../sandbox-http.ts'
import { isIncoming, type LineKind, type ReportLine, type ReportProvider } from './port.ts'

const isLineKind = (text: string): text is LineKind => Object.hasOwn(isIncoming, text)

/** One line of the sandbox's books; undefined when it cannot be read. */
export function readLine(body: unknown): ReportLine | undefined {
  const id = readText(body, 'id')
  const kind = readText(body, 'kind') ?? ''
  const amount = readAmount(body)
  const occurredAt = readDate(body, 'occurred_at')
  if (!id || !isLineKind(kind) || !amount || !occurredAt) return undefined
  return { id, kind, amount, reference: readText(body, 'reference') ?? null, occurredAt }
}

/** The sandbox's own books. */
export function createSandboxReport(connection: SandboxConnection): ReportProvider {
  const http = createSandboxHttp(connection)
  return {
    async lines(from, until) {
      const lines: ReportLine[] = []
      let next: string | undefined = ''
      while (next !== undefined) {
        const query = new URLSearchParams({ from: from.toISOString(), until: until.toISOString(), after: next })
        const answer = await http.request('GET', `/api/report/lines?${query.toString()}`)
        if (answer.status !== 'done') {
          return { status: 'unknown', reason: answer.status === 'refused' ? answer.message : answer.reason }
        }
        const page = readList(answer.body, 'lines')?.map(readLine)
        if (!page || page.includes(undefined)) return unreadable('its books')
        lines.push(...page.filter((line) => line !== undefined))
        next = readText(answer.body, 'next')
      }
      return { status: 'known', lines }
    },
  }
}
