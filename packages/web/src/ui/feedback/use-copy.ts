import { copying } from '#messages/copying.ts'
import { useToast } from './Toast.tsx'

/** Copies a text to the clipboard; a toast shows `said`, or a failure. */
export function useCopy(): (text: string, said: string) => void {
  const toast = useToast()
  return (text, said) =>
    void navigator.clipboard.writeText(text).then(
      () => toast(said),
      () => toast(copying.failed, 'warning'),
    )
}
