import { account } from '#messages/identity/account.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'

/** Puts a text into the clipboard and says so; `label` is what the person calls it. */
export function useCopy(): (label: string, text: string) => void {
  const toast = useToast()
  return (label, text) =>
    void navigator.clipboard.writeText(text).then(
      () => toast(account.copied(label)),
      () => toast(account.copyFailed, 'warning'),
    )
}
