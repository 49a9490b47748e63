/**
 * The error function, which JavaScript lacks, within 4e-10: far below half a float32 ulp of 1. Below 1 it is a
 * polynomial in x^2, above 1 e^(-x^2) times a polynomial in 1 / (1 + x / 2); both fitted by Chebyshev interpolation.
 * shaders/pointwise/unary*.wgsl use the same coefficients.
 */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a < 1) {
    const z = x * x;
    const high = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
    return (
      x *
      (1.1283791670623606 +
        z * (-0.37612638475991583 + z * (0.11283782622065378 + z * (-0.026865438310680324 + z * high))))
    );
  }
  if (a > 6) return Math.sign(x);
  const t = 1 / (1 + a / 2);
  const high = -0.0568834893234975 + t * (0.5044974423039832 + t * (-0.43061181006001303 + t * 0.10747068931547013));
  const q =
    -9.300192557706866e-5 + t * (0.2839694354162976 + t * (0.26584052765835775 + t * (0.32577757351147213 + t * high)));
  const tail = 1 - Math.exp(-x * x) * q;
  return x < 0 ? -tail : tail; // NaN passes every comparison above and comes out as NaN
}
