import { useLocation, useParams } from '@tanstack/react-router';

/**
 * The token of the link that was followed. It is in the fragment, which no server is sent; links of before had it in the
 * path.
 */
export function useLinkToken(): string {
  const { token } = useParams({ strict: false });
  const { hash } = useLocation();
  return token ?? hash;
}
