import type { StepUpRequirement } from '@tern/contract/security'
import { createRoot } from 'react-dom/client'
import type { Confirmation } from './step-up.ts'
import { StepUpDialog } from './StepUpDialog.tsx'

const unmountDelayMs = 300

/**
 * Opens the step-up dialog above the current page, in its own React tree, so that any call can open it. `before` is the
 * previous subject if it has changed. Returns the outcome; going back in the history cancels the dialog.
 */
export function promptStepUp(
  requirement: StepUpRequirement,
  before?: StepUpRequirement['subject'],
): Promise<Confirmation> {
  const place = document.body.appendChild(document.createElement('div'))
  const root = createRoot(place)
  const focusedElement = document.activeElement
  return new Promise((resolve) => {
    const endController = new AbortController()
    const end = (answer: Confirmation) => {
      if (endController.signal.aborted) return
      endController.abort()
      root.render(<StepUpDialog requirement={requirement} before={before} open={false} onEnd={end} />)
      setTimeout(() => {
        root.unmount()
        place.remove()
        // The dialog does not always return the focus if it is unmounted this early.
        if (document.activeElement === document.body && focusedElement instanceof HTMLElement) focusedElement.focus()
      }, unmountDelayMs)
      resolve(answer)
    }
    addEventListener('popstate', () => end('cancelled'), { signal: endController.signal })
    root.render(<StepUpDialog requirement={requirement} before={before} open onEnd={end} />)
  })
}
