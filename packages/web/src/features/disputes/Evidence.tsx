import { type Dispute, disputeEvidence } from '@tern/contract/disputes/disputes'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { readFile } from './dispute-queries.ts'
import { saveFile } from '../../ui/save-file.ts'

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`

/** Evidence of a dispute: the frozen record and the files that the user added. */
export function Evidence({ dispute: { id, evidence_hash: hash, files } }: { dispute: Dispute }) {
  const action = useAction({
    failed: texts.downloadFailed,
  })
  const saveEvidence = () =>
    action.run(async () => {
      const evidence = await callApi(disputeEvidence, { params: { id } })
      saveFile(new Blob([JSON.stringify(evidence, null, 2)], { type: 'application/json' }), `dispute-${id}.json`)
    })
  const save = (fileId: string, isPdf: boolean) =>
    action.run(async () => {
      saveFile(await readFile(id, fileId), `${fileId}.${isPdf ? 'pdf' : 'jpg'}`)
    })
  return (
    <section className="grid gap-4">
      {files.length > 0 && (
        <div>
          <h2 className="field-label">{texts.files}</h2>
          <ul className="dispute-files small">
            {files.map(({ id: fileId, content_type: type, size }) => (
              <li key={fileId}>
                <span>{texts.fileName(type === 'application/pdf' ? 'PDF' : 'JPEG', kilobytes(size))}</span>
                <Button look="ghost" onClick={() => save(fileId, type === 'application/pdf')}>
                  {texts.download}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <h2 className="field-label">{texts.inTheFile}</h2>
        <p className="small muted">{texts.evidenceText}</p>
        <details className="small muted mt-1 [&_summary]:cursor-pointer [&_summary]:py-3">
          <summary>{texts.fingerprint}</summary>
          <p className="wrap-anywhere">{hash}</p>
        </details>
      </div>
      {action.error && <Note tone="error">{action.error}</Note>}
      <Button className="justify-self-start" icon="deposit" processing={action.isBusy} onClick={saveEvidence}>
        {texts.evidenceFile}
      </Button>
    </section>
  )
}
