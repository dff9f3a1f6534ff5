import '../../css/table.css'
import { readStatement, type StatementHead, type StatementLine } from '@tern/contract/statements'
import { useState } from 'react'
import { statements as texts } from '#messages/statements/statements.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import type { StatementQuery } from './statement-queries.ts'
import { LineGroups } from './LineGroups.tsx'
import { LineTable } from './LineTable.tsx'

interface StatementLinesProps {
  query: StatementQuery
  head: StatementHead
  firstLines: readonly StatementLine[]
  cursor: string | null
  /** Count of all lines, if known. */
  total: number | undefined
}

/** Lines of a statement, oldest first, more of them on request. */
export function StatementLines({ query, head, firstLines, cursor: firstCursor, total }: StatementLinesProps) {
  const [loaded, setLoaded] = useState({ lines: firstLines, cursor: firstCursor })
  const action = useAction({ failed: texts.moreFailed })
  const { lines, cursor } = loaded
  const loadMore = () =>
    action.run(async () => {
      if (cursor === null) return
      const page = await callApi(readStatement, { query: { ...query, cursor } })
      setLoaded({ lines: [...lines, ...page.lines], cursor: page.next_cursor })
    })
  if (lines.length === 0) return <EmptyState title={texts.emptyTitle} text={texts.emptyText} />
  const props = { head, lines, isComplete: cursor === null }
  return (
    <div className="mt-8">
      <h2 className="sr-only">{texts.lines}</h2>
      <div className="table-space">
        <div className="table-wide">
          <LineTable {...props} />
        </div>
        <div className="table-narrow">
          <LineGroups {...props} />
        </div>
      </div>
      {action.error && (
        <div className="mt-4">
          <Note tone="error">{action.error}</Note>
        </div>
      )}
      <div className="row flex-wrap mt-5">
        {cursor !== null && (
          <Button processing={action.isBusy} onClick={loadMore}>
            {texts.more}
          </Button>
        )}
        {total !== undefined && (
          <span className="small muted tabular" aria-live="polite">
            {texts.shown(lines.length, total)}
          </span>
        )}
      </div>
    </div>
  )
}
