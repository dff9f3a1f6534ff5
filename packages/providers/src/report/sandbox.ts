import { readAmount } from '../collect/sandbox-card.ts'
import { readDate, readList, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import { isIncoming, type LineKind, type ReportLine, type ReportProvider } from './port.ts'

const isLineKind = (text: string): text is LineKind => Object.hasOwn(isIncoming, text)

/** Parses one line of the sandbox's books; undefined if unreadable. */
export function readLine(body: unknown): ReportLine | undefined {
  const id = readText(body, 'id')
  const kind = readText(body, 'kind') ?? ''
  const amount = readAmount(body)
  const occurredAt = readDate(body, 'occurred_at')
  if (!id || !isLineKind(kind) || !amount || !occurredAt) return undefined
  const undoes = readText(body, 'undoes')
  const line = { id, kind, amount, reference: readText(body, 'reference') ?? null, occurredAt }
  return undoes === undefined ? line : { ...line, undoes }
}

function readPage(body: unknown): { status: 'known'; lines: ReportLine[]; next: string | undefined } | undefined {
  const lines = readList(body, 'lines')?.map(readLine)
  if (!lines?.every((line) => line !== undefined)) return undefined
  return { status: 'known', lines, next: readText(body, 'next') }
}

export function createSandboxReportProvider(connection: SandboxConnection): ReportProvider {
  const http = createSandboxHttp(connection)
  return {
    async lines(from, until) {
      const lines: ReportLine[] = []
      for (let after: string | undefined = ''; after !== undefined;) {
        const query = new URLSearchParams({ from: from.toISOString(), until: until.toISOString(), after })
        const page = await http.ask(['GET', `/api/report/lines?${query.toString()}`], 'its books', readPage)
        if (page.status === 'unknown') return page
        lines.push(...page.lines)
        after = page.next
      }
      return { status: 'known', lines }
    },
  }
}
