import { shell } from '#messages/shell.ts'
import { Button } from '../forms/Button.tsx'

interface ErrorStateProps {
  title: string
  text?: string | undefined
  onRetry?: () => void | undefined
}

/** What stands in the place of something that did not load, with a way to ask for it again. */
export function ErrorState({ title, text, onRetry }: ErrorStateProps) {
  return (
    <div className="empty" role="alert">
      <p className="display-s">{title}</p>
      {text && <p className="small muted">{text}</p>}
      {onRetry && <Button onClick={onRetry}>{shell.tryAgain}</Button>}
    </div>
  )
}
