import '../../css/documents.css'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { type DocumentType, documentTypes } from '@tern/contract/countries'
import { useState } from 'react'
import { kyc } from '#messages/identity/kyc.ts'
import { upload as texts } from '#messages/identity/upload.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { documentsQuery } from './document-queries.ts'
import { findLatest, type Side, requiredSides } from './document-rules.ts'
import { UploadField } from './UploadField.tsx'

interface UploadsProps {
  userId: number
  documentType: string
  /** False if photos are optional. */
  isRequested?: boolean
  onBusy: (isBusy: boolean) => void
}

const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 15_000 } } })

/** Photos of the chosen document, with fields to add or replace them. */
export function DocumentUploads(props: UploadsProps) {
  const [queryClient] = useState(newQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <Uploads {...props} />
    </QueryClientProvider>
  )
}

function Uploads({ userId, documentType, isRequested = false, onBusy }: UploadsProps) {
  const query = useQuery(documentsQuery(userId))
  const { data } = query
  const type = documentTypes.find((candidate) => candidate === documentType)
  if (!type) return null
  const skeleton = <SkeletonLine className="h-24 w-full opacity-40" />
  if (!data) return <DataShell query={query} skeleton={skeleton} failed={texts.loadFailed} />
  return (
    <div className="grid gap-4">
      {requiredSides(type).map((side) => (
        <UploadField
          key={type + side}
          label={uploadLabel(type, side)}
          {...{ userId, documentType: type, side, isRequested, onBusy }}
          savedDocument={findLatest(data.documents, type, side)}
        />
      ))}
    </div>
  )
}

const uploadLabel = (type: DocumentType, side: Side): string =>
  type === 'passport' ? texts.passportPage : texts.sides[side](kyc.documentTypes[type])
