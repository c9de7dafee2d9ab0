import { useLocation, useParams } from '@tanstack/react-router';

/** A link's token. It is in the fragment, which is not sent to servers; earlier links had it in the path. */
export function useLinkToken(): string {
  const { token } = useParams({ strict: false });
  const { hash } = useLocation();
  return token ?? hash;
}
