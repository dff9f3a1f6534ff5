import { shell } from '#messages/shell.ts'
import { Button } from '../forms/Button.tsx'
import { Note } from './Note.tsx'

interface ErrorStateProps {
  title: string
  text?: string | undefined
  onRetry?: (() => void) | undefined
}

/** Replaces content that did not load, with a retry button. */
export function ErrorState({ title, text, onRetry }: ErrorStateProps) {
  return (
    <div className="grid justify-items-start gap-4 py-4">
      <Note tone="error">
        <b className="font-medium">{title}</b>
        {text && <p className="muted">{text}</p>}
      </Note>
      {onRetry && <Button onClick={onRetry}>{shell.tryAgain}</Button>}
    </div>
  )
}
