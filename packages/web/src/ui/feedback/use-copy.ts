import { copying } from '#messages/copying.ts'
import { useToast } from './Toast.tsx'

/** Copies a text to the clipboard; a toast shows `confirmation`, or a failure. */
export function useCopy(): (text: string, confirmation: string) => void {
  const toast = useToast()
  return (text, confirmation) =>
    void navigator.clipboard.writeText(text).then(
      () => toast(confirmation),
      () => toast(copying.failed, 'warning'),
    )
}
