import type { UseQueryResult } from '@tanstack/react-query'
import { desk } from '@tern/messages/en/desk/desk'
import type { ReactNode } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { errorMessage } from './use-desk.ts'

interface QueryViewProps {
  query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>
  skeleton?: ReactNode
}

/** Placeholder while a query loads, or its error with a retry button; renders nothing once data is loaded. */
export function QueryView({ query, skeleton = <p>{desk.loading}</p> }: QueryViewProps) {
  if (query.error) {
    return (
      <div className="grid justify-items-start gap-3 p-4">
        <Note tone="error">{errorMessage(query.error)}</Note>
        <Button onClick={() => void query.refetch()}>{desk.tryAgain}</Button>
      </div>
    )
  }
  return query.isPending ? skeleton : null
}
