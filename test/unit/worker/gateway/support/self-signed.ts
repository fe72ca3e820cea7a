import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const pem = (name: string, bytes: Buffer) =>
  `-----BEGIN ${name}-----\n${bytes.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${name}-----\n`;

/** A key and a certificate that nobody but its holder vouches for, valid today, for 127.0.0.1 (RFC 5280). */
export function selfSigned(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('127.0.0.1')))));
  const year = new Date().getUTCFullYear() % 100;
  const time = (at: number) => der(0x17, Buffer.from(`${String(at % 100).padStart(2, '0')}0101000000Z`));
  const address = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(year), time(year + 2)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, address)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem('CERTIFICATE', sequence(body, algorithm, signature)),
  };
}
