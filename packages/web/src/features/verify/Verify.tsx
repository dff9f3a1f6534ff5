import '../../css/verify.css'
import { verifyReceiptText } from '@tern/transparency/verify-receipt'
import { useEffect, useState } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { verifying as texts } from '#messages/site/verify.ts'
import { type KnownKeys, loadKeys, type StoredKeys, trustKeys } from '../../app/log-policy.ts'
import { VisitorFrame } from '../../app/shell/VisitorFrame.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { findSigner } from './find-signer.ts'
import { recallHistory } from '../../app/key-history.ts'
import { ProofForm } from './ProofForm.tsx'
import { ReceiptVerdictSheet } from './ReceiptVerdictSheet.tsx'
import { useOfflineCopy } from './use-offline-copy.ts'

export const meta = () => [
  { title: shell.pageTitle(titles.verifyReceipt) },
  { name: 'description', content: texts.intro },
  { name: 'referrer', content: 'no-referrer' },
]

const trimProof = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.includes('\n') ? `${trimmed.replaceAll('\r\n', '\n')}\n` : trimmed
}

/** Verifies the proof of a receipt in the visitor's browser. The address' fragment is never sent to a server. */
export default function Verify() {
  const [keys, setKeys] = useState<KnownKeys>()
  const [proof, setProof] = useState('')
  useEffect(() => {
    const readFragment = () => {
      if (location.hash.length > 1) setProof(location.hash.slice(1))
    }
    readFragment()
    addEventListener('hashchange', readFragment)
    loadKeys().then(setKeys, reportError)
    return () => removeEventListener('hashchange', readFragment)
  }, [])
  return (
    <VisitorFrame>
      <div className="max-w-360 mx-auto pt-12 px-16 pb-24 max-xl:px-10 max-md:pt-8 max-md:px-4 max-md:pb-16">
        <h1 className="display-l">{texts.headline}</h1>
        <p className="lead max-w-[54ch] mt-3">{texts.intro}</p>
        <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-16 items-start pt-8 max-[1100px]:grid-cols-1 max-md:gap-8">
          <div>
            <ProofForm onProof={setProof} />
            <OfflineCopy />
          </div>
          <div aria-live="polite" className="grid gap-6">
            {keys?.changed && (
              <ChangedKey
                keys={keys.changed}
                onTrust={(changed) => setKeys({ policy: trustKeys(changed), changed: undefined })}
              />
            )}
            {proof !== '' && <Verdict proof={proof} keys={keys} />}
          </div>
        </div>
      </div>
    </VisitorFrame>
  )
}

function OfflineCopy() {
  const isKept = useOfflineCopy()
  return (
    <p className="verify-kept" role="status">
      {isKept && (
        <>
          <Icon name="check" /> <span>{texts.kept}</span>
        </>
      )}
    </p>
  )
}

function Verdict({ proof, keys }: { proof: string; keys: KnownKeys | undefined }) {
  if (!keys) return <p className="muted">{texts.reading}</p>
  if (!keys.policy) return <Note tone="error">{texts.noKey}</Note>
  const text = trimProof(proof)
  const verdict = verifyReceiptText(text, keys.policy)
  const { loadedAt, replaced } = recallHistory()
  const isForeign = verdict.state === 'invalid' && verdict.reason === 'log_signature'
  const signer = isForeign ? findSigner({ proof: text, logs: keys.policy.logs, replaced }) : undefined
  return <ReceiptVerdictSheet verdict={verdict} signer={signer} loadedAt={loadedAt} />
}

/** Warning that the log signs with another key than the one this browser has kept. */
function ChangedKey({ keys, onTrust }: { keys: StoredKeys; onTrust: (keys: StoredKeys) => void }) {
  return (
    <Note tone="warning">
      <p>{texts.changedKey}</p>
      <p className="mt-1">
        <code className="wrap-anywhere">{keys.log}</code>
      </p>
      <Button className="mt-3" onClick={() => onTrust(keys)}>
        {texts.trustKey}
      </Button>
    </Note>
  )
}
