import { useEffect, useState } from 'react'
import { Icon } from '../../ui/icon/Icon.tsx'

/** The address of a file in this tab, given back when it is shown no more. */
function useAddress(file: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => {
      setAddress(undefined)
      // A picture that is still being read needs it.
      setTimeout(() => URL.revokeObjectURL(made), 1000)
    }
  }, [file])
  return address
}

/** What stands in the place of a PDF, and of a picture that cannot be shown. */
export const NoPicture = () => (
  <span className="upload-picture">
    <Icon name="list" />
  </span>
)

function Picture({ file }: { file: Blob | undefined }) {
  const address = useAddress(file)
  const [isBroken, setIsBroken] = useState(false)
  if (address === undefined || isBroken) return <NoPicture />
  return <img className="upload-picture" src={address} alt="" onError={() => setIsBroken(true)} />
}

/** A file that is being sent. */
export const FilePicture = ({ file }: { file: File }) =>
  file.type.startsWith('image/') ? <Picture file={file} /> : <NoPicture />

/** Picture of a document if this page has loaded it; otherwise a placeholder. */
export const DocumentPicture = ({ picture }: { picture: Blob | undefined }) => <Picture file={picture} />
